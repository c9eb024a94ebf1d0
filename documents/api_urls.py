"""Collections and documents under /api/v1/, and the description of the whole API."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from documents import (
    api,
    archive_api,
    collections_api,
    coverage_api,
    jobs_api,
    lifecycle_api,
    many_api,
    passages_api,
    profile_api,
    sync_api,
    version_api,
)
from documents.web import api as web_api
from portal import docs_views

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(permission_classes=[], authentication_classes=[]), name="api_schema"),
    path("docs/", docs_views.api_docs, name="api_docs"),
    path("collections/", collections_api.Collections.as_view(), name="api_collections"),
    path("collections/<str:ref>/", collections_api.OneCollection.as_view(), name="api_collection"),
    path("collections/<str:ref>/coverage/", coverage_api.CollectionCoverage.as_view(), name="api_collection_coverage"),
    path("collections/<str:ref>/profile/", profile_api.CollectionProfile.as_view(), name="api_collection_profile"),
    path("collections/<str:ref>/grants/", collections_api.Grants.as_view(), name="api_collection_grants"),
    path("collections/<str:ref>/sync/", sync_api.CollectionSync.as_view(), name="api_collection_sync"),
    path("archives/", archive_api.Archives.as_view(), name="api_archives"),
    path("documents/", api.Documents.as_view(), name="api_documents"),
    path("documents/batch/", many_api.DocumentsBatch.as_view(), name="api_documents_batch"),
    path("documents/bulk/", many_api.DocumentsBulk.as_view(), name="api_documents_bulk"),
    path("documents/<str:ref>/", api.OneDocument.as_view(), name="api_document"),
    path("documents/<str:ref>/retry/", api.RetryDocument.as_view(), name="api_document_retry"),
    path("documents/<str:ref>/disable/", lifecycle_api.DisableDocument.as_view(), name="api_document_disable"),
    path("documents/<str:ref>/enable/", lifecycle_api.EnableDocument.as_view(), name="api_document_enable"),
    path("documents/<str:ref>/move/", lifecycle_api.MoveDocument.as_view(), name="api_document_move"),
    path("documents/<str:ref>/receipt/", lifecycle_api.DocumentReceipt.as_view(), name="api_document_receipt"),
    path("documents/<str:ref>/purge/", lifecycle_api.PurgeDocument.as_view(), name="api_document_purge"),
    path("documents/<str:ref>/versions/", api.Versions.as_view(), name="api_document_versions"),
    path(
        "documents/<str:ref>/versions/<str:version_ref>/purge/",
        version_api.PurgeVersion.as_view(),
        name="api_version_purge",
    ),
    path(
        "documents/<str:ref>/versions/<str:version_ref>/receipt/",
        version_api.VersionReceipt.as_view(),
        name="api_version_receipt",
    ),
    path("documents/<str:ref>/chunks/", api.Chunks.as_view(), name="api_document_chunks"),
    path("documents/<str:ref>/text/", passages_api.DocumentText.as_view(), name="api_document_text"),
    path("documents/<str:ref>/original/", passages_api.DocumentOriginal.as_view(), name="api_document_original"),
    path("chunks/<int:id>/", passages_api.OneChunk.as_view(), name="api_chunk"),
    path("imports/", web_api.Imports.as_view(), name="api_imports"),
    path("imports/<str:ref>/", web_api.OneImport.as_view(), name="api_import"),
    path("imports/<str:ref>/retry/", web_api.RetryImport.as_view(), name="api_import_retry"),
    path("jobs/", jobs_api.Jobs.as_view(), name="api_jobs"),
    path("jobs/<str:ref>/", jobs_api.OneJob.as_view(), name="api_job"),
    path("jobs/<str:ref>/cancel/", jobs_api.CancelJob.as_view(), name="api_job_cancel"),
]
