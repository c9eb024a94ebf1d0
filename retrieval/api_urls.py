"""Search under /api/v1/."""

from django.urls import path

from retrieval import api

urlpatterns = [path("search/", api.Search.as_view(), name="api_search")]
