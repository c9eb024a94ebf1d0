from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        from portal import checks  # noqa: F401  (registers the self-check)


class FootnoteAdminConfig(AdminConfig):
    default_site = "portal.admin_site.FootnoteAdmin"

    def ready(self) -> None:
        """Django's groups mean nothing here: rights are roles in a workspace, and the app role cannot read groups.

        A worker serves no page: what the admin's modules load (REST, forms) would cost it 15 MB.
        """
        from django.conf import settings

        if settings.ENV.process == "worker":
            return
        super().ready()
        from django.contrib import admin
        from django.contrib.auth.models import Group

        admin.site.unregister(Group)
