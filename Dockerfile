# A server of Sparring. docs/how-to/run-it-in-a-container.md says how it is built and run, and what of it is tested.
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY requirements/runtime.txt /tmp/requirements.txt
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --require-hashes -r /tmp/requirements.txt \
    && pip install --no-cache-dir --no-deps /wheels/*.whl \
    && rm -r /wheels /tmp/requirements.txt \
    && useradd --uid 10001 --create-home sparring \
    && mkdir -p /data/.sparring /data/results /data/logs \
    && chown -R sparring:sparring /data

USER sparring
WORKDIR /data
RUN sparring init phone_orders
ENV HOST=0.0.0.0 \
    PORT=5000 \
    LOGS_DIR=/data/logs
EXPOSE 5000
VOLUME ["/data/.sparring", "/data/results", "/data/logs"]
HEALTHCHECK --interval=30s --timeout=6s --start-period=20s --retries=3 CMD ["python", "-m", "sparring.web.healthcheck"]
CMD ["sparring", "serve"]
