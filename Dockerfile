# docker build -t honeyguide .
# With rendered pages: docker build --build-arg EXTRAS=web,parquet,browser --build-arg PACKAGES=chromium -t honeyguide .
FROM python:3.11-slim

ARG EXTRAS=web,parquet
ARG PACKAGES=""
ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1

RUN if [ -n "$PACKAGES" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; \
    fi

WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN pip install ".[$EXTRAS]" && honeyguide --version

RUN useradd --create-home --uid 1000 honeyguide && mkdir /runs && chown honeyguide /runs
USER honeyguide
WORKDIR /runs
VOLUME /runs
EXPOSE 8642
ENTRYPOINT ["honeyguide"]
CMD ["--help"]
