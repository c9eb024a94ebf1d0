"""The tenancy under /api/v1/."""

from django.urls import path

from portal import program_api

urlpatterns = [
    path("workspaces/", program_api.Workspaces.as_view(), name="api_workspaces"),
    path("workspaces/<str:ref>/", program_api.OneWorkspace.as_view(), name="api_workspace"),
    path("members/", program_api.Members.as_view(), name="api_members"),
    path("members/<int:id>/", program_api.OneMember.as_view(), name="api_member"),
    path("audit/", program_api.Audit.as_view(), name="api_audit"),
]
