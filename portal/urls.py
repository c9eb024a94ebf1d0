"""Every route of the project; `tests/isolation/routes.py` must name the rule of each."""

from django.contrib import admin
from django.urls import include, path

from portal import account_views, keys_views, ops, people_views, views
from portal.metrics import metrics

handler404 = "portal.views.not_found"

urlpatterns = [
    path("", include("answers.urls")),
    path("", include("documents.urls")),
    path("", include("retrieval.urls")),
    path("", include("evaluation.urls")),
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("workspace/switch/", views.workspace_switch, name="workspace_switch"),
    path("join/", account_views.join, name="join"),
    path("account/", account_views.account, name="account"),
    path("account/password/", account_views.password, name="account_password"),
    path("people/", people_views.people, name="people"),
    path("people/<int:membership_id>/", people_views.member, name="member"),
    path("people/invitations/<str:ref>/withdraw/", people_views.withdraw, name="invitation_withdraw"),
    path("keys/", keys_views.keys, name="keys"),
    path("keys/<str:ref>/rotate/", keys_views.rotate, name="key_rotate"),
    path("keys/<str:ref>/revoke/", keys_views.revoke, name="key_revoke"),
    path("", include("portal.hooks.urls")),
    path("help/", views.help_page, name="help"),
    path("status/", ops.status, name="status"),
    path("ops/live", ops.live, name="ops_live"),
    path("ops/ready", ops.ready, name="ops_ready"),
    path("ops/metrics", metrics, name="ops_metrics"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/", include("portal.api_urls")),
    path("api/v1/", include("portal.hooks.api_urls")),
    path("api/v1/", include("evaluation.api_urls")),
    path("api/v1/", include("answers.api_urls")),
    path("api/v1/", include("documents.api_urls")),
    path("", include("answers.typed.urls")),
    path("admin/", admin.site.urls),
]
