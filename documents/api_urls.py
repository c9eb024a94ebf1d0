"""Collections and documents under /api/v1/, and the description of the whole API."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from documents import api, lifecycle_api

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(permission_classes=[], authentication_classes=[]), name="api_schema"),
    path("collections/", api.Collections.as_view(), name="api_collections"),
    path("documents/", api.Documents.as_view(), name="api_documents"),
    path("documents/<str:ref>/", api.OneDocument.as_view(), name="api_document"),
    path("documents/<str:ref>/retry/", api.RetryDocument.as_view(), name="api_document_retry"),
    path("documents/<str:ref>/disable/", lifecycle_api.DisableDocument.as_view(), name="api_document_disable"),
    path("documents/<str:ref>/enable/", lifecycle_api.EnableDocument.as_view(), name="api_document_enable"),
    path("documents/<str:ref>/move/", lifecycle_api.MoveDocument.as_view(), name="api_document_move"),
    path("documents/<str:ref>/receipt/", lifecycle_api.DocumentReceipt.as_view(), name="api_document_receipt"),
    path("documents/<str:ref>/purge/", lifecycle_api.PurgeDocument.as_view(), name="api_document_purge"),
    path("documents/<str:ref>/versions/", api.Versions.as_view(), name="api_document_versions"),
    path("documents/<str:ref>/chunks/", api.Chunks.as_view(), name="api_document_chunks"),
]
