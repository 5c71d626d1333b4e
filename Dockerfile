# A tag may be moved, a digest may not: who takes over a registry puts nothing in here. Dependabot moves them: docs/releasing.md.

# Of the platform that the image is for: its Node is what is copied.
FROM docker.io/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS node

# Of the platform that builds: the bundle is the same for all, and nothing has to be emulated.
FROM --platform=${BUILDPLATFORM} docker.io/library/node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# No script of a package runs: esbuild works without its own.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY esbuild.config.mjs tsconfig.json main.ts commands.ts ./
COPY shared shared
COPY reconciler reconciler
COPY webhook webhook
COPY certs certs
COPY cli cli
RUN npm run build

# Without shell and package manager: libc, libstdc++, certificate authorities and time zones.
FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
ARG VERSION=0.0.0-unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Reroll" \
      org.opencontainers.image.description="Restarts Kubernetes workloads when the ConfigMaps and Secrets they use change" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/reroll/reroll" \
      org.opencontainers.image.documentation="https://github.com/reroll/reroll/blob/main/README.md" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="gcr.io/distroless/cc-debian12:nonroot"
# These settings of malloc save memory: V8 and OpenSSL take and give back blocks all the time, and
# malloc keeps what lies between two that stay (docs/decisions/0015-a-bundle-in-parts.md). The option of Node is that of
# main.ts, whose first line only counts where the bundle is run by its own name. A pod that sets NODE_OPTIONS sets that again.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=16384 \
    MALLOC_TOP_PAD_=65536 \
    MALLOC_TRIM_THRESHOLD_=524288 \
    NODE_OPTIONS=--max-semi-space-size=2
WORKDIR /app
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY LICENSE deploy/sbom.cdx.json deploy/third-party-licences.txt /app/
COPY --from=build /src/dist/reroll.mjs /app/
COPY --from=build /src/dist/parts/*.mjs /app/parts/
USER 65532:65532
EXPOSE 9090
# Their JSON form: Node is process 1, and SIGTERM reaches it. No HEALTHCHECK: Kubernetes asks by probes of its own.
ENTRYPOINT ["node", "--disable-sigusr1", "/app/reroll.mjs"]
CMD ["reconciler"]
