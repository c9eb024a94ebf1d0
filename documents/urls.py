"""Library and Document."""

from django.urls import path

from documents import collection_views, compare_views, lifecycle_views, queue_views, shelf_views, version_views, views
from documents.web import views as web_views

urlpatterns = [
    path("library/", views.library, name="library"),
    path("queue/", queue_views.queue, name="queue"),
    path("library/collections/<str:ref>/", collection_views.collection, name="collection"),
    path("library/collections/", shelf_views.make, name="collection_make"),
    path("library/collections/<str:ref>/name/", shelf_views.rename, name="collection_rename"),
    path("library/collections/<str:ref>/remove/", shelf_views.remove, name="collection_remove"),
    path("library/collections/<str:ref>/people/", shelf_views.let_in, name="collection_open"),
    path("library/collections/<str:ref>/people/<int:grant_id>/", shelf_views.let_out, name="collection_close"),
    path("library/upload/", views.upload, name="upload"),
    path("library/import/", web_views.fetch, name="import"),
    path("library/import/<str:ref>/retry/", web_views.retry, name="import_retry"),
    path("documents/<str:ref>/", views.document, name="document"),
    path("documents/<str:ref>/row/", views.document_row, name="document_row"),
    path("documents/<str:ref>/retry/", views.document_retry, name="document_retry"),
    path("documents/<str:ref>/cancel/", views.document_cancel, name="document_cancel"),
    path("documents/<str:ref>/delete/", lifecycle_views.document_delete, name="document_delete"),
    path("documents/<str:ref>/compare/", compare_views.document_compare, name="document_compare"),
    path("documents/<str:ref>/receipt/", lifecycle_views.document_receipt, name="document_receipt"),
    path("documents/<str:ref>/purge/", lifecycle_views.document_purge, name="document_purge"),
    path("documents/<str:ref>/versions/<str:version_ref>/purge/", version_views.version_purge, name="version_purge"),
    path(
        "documents/<str:ref>/versions/<str:version_ref>/receipt/", version_views.version_receipt, name="version_receipt"
    ),
    path("documents/<str:ref>/disable/", lifecycle_views.document_disable, name="document_disable"),
    path("documents/<str:ref>/enable/", lifecycle_views.document_enable, name="document_enable"),
    path("documents/<str:ref>/tags/", lifecycle_views.document_tags, name="document_tags"),
    path("documents/<str:ref>/move/", lifecycle_views.document_move, name="document_move"),
    path("documents/<str:ref>/replace/", views.document_replace, name="document_replace"),
    path("documents/<str:ref>/original/", views.document_original, name="document_original"),
]
