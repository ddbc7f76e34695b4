# Mneme in a container: docs/deploy.md. Tested by test/deploy/image.test.ts, which carries out these steps without Docker.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# No package needs its install script: native modules come as prebuilt binaries.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN tools/image/build.sh /opt/mneme 65532

# Of Debian alone, with Node's binary: no npm, no compiler, no sources.
FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/mneme /opt/mneme
RUN ln -s /opt/mneme/bin/mneme /usr/local/bin/mneme && install -d -o 65532 -g 65532 -m 0700 /data
# Every interface of the container, and therefore refused without TLS and credentials, unless MNEME_ALLOW_INSECURE is set.
ENV MNEME_LISTEN=0.0.0.0:50051 \
    MNEME_DATA=/data \
    MNEME_LOG_FORMAT=json
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["mneme", "health"]
ENTRYPOINT ["mneme"]
CMD ["serve"]
LABEL org.opencontainers.image.title="Mneme" \
      org.opencontainers.image.description="A memory server for AI agents, over gRPC" \
      org.opencontainers.image.licenses="Apache-2.0"
