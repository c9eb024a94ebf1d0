"""The tenancy under /api/v1/."""

from django.urls import path

from portal import keys_api, program_api

urlpatterns = [
    path("workspaces/", program_api.Workspaces.as_view(), name="api_workspaces"),
    path("workspaces/<str:ref>/", program_api.OneWorkspace.as_view(), name="api_workspace"),
    path("members/", program_api.Members.as_view(), name="api_members"),
    path("members/<int:id>/", program_api.OneMember.as_view(), name="api_member"),
    path("keys/", keys_api.Keys.as_view(), name="api_keys"),
    path("keys/<str:ref>/", keys_api.OneKey.as_view(), name="api_key"),
    path("keys/<str:ref>/rotate/", keys_api.RotateKey.as_view(), name="api_key_rotate"),
    path("audit/", program_api.Audit.as_view(), name="api_audit"),
]
