# One image for web, worker, embedder and the migrate job; compose.yaml says which command each runs.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    ORT_DISABLE_TELEMETRY=1 DO_NOT_TRACK=1 SCARF_NO_ANALYTICS=1 MALLOC_ARENA_MAX=2 FOOTNOTE_STATE_DIR=/state

WORKDIR /app
COPY requirements.txt ./
RUN python -m pip install --require-hashes -r requirements.txt \
    && useradd --uid 10001 --no-create-home --home-dir /nonexistent footnote \
    && install -d -o footnote -g footnote /state
COPY manage.py ./
COPY portal ./portal
COPY documents ./documents
COPY retrieval ./retrieval
COPY answers ./answers
COPY evaluation ./evaluation
COPY templates ./templates
COPY static ./static

USER footnote
VOLUME /state
EXPOSE 8000
CMD ["python", "-m", "uvicorn", "portal.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--lifespan", "off", \
     "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "5"]
