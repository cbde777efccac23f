# Server, summarizer and relay in one image; compose.yaml selects the one that a container runs.
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/tellonce \
 && /opt/tellonce/bin/pip install --no-cache-dir --disable-pip-version-check .

FROM python:3.13-slim-bookworm
# PostgreSQL refuses to run as root, and no other program here needs root.
RUN useradd --uid 10001 --create-home --home-dir /home/tellonce tellonce \
 && install -d -o tellonce -g tellonce -m 700 /data
COPY --from=build /opt/tellonce /opt/tellonce
ENV PATH=/opt/tellonce/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TELLONCE_DATA_DIR=/data \
    TELLONCE_HOST=0.0.0.0 \
    TELLONCE_LOG_FORMAT=json
USER 10001
WORKDIR /home/tellonce
VOLUME /data
EXPOSE 8765
# The first start creates the database. /ready checks that the database answers.
HEALTHCHECK --start-period=60s --interval=15s --timeout=5s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/ready', timeout=4)"]
ENTRYPOINT ["tellonce"]
CMD ["up"]
