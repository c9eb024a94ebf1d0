from django.urls import path

from retrieval import views

urlpatterns = [path("search/", views.search, name="search")]
