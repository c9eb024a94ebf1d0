from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        from portal import checks  # noqa: F401  (registers the self-check)


class FootnoteAdminConfig(AdminConfig):
    default_site = "portal.admin_site.FootnoteAdmin"
