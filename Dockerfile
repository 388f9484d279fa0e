# The base that the image runs on. Any with Node 26 at hand as `node` will do: it needs no shell and no npm.
# A tag may become another image. For one that stays, look up its digest and build with it:
#   docker buildx imagetools inspect node:26-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:26-slim@sha256:… .
ARG NODE_IMAGE=node:26-slim
# The base that it is built on: with a shell, npm and `find`.
ARG BUILD_IMAGE=${NODE_IMAGE}

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# What only compilers and editors read stays out; licences stay in, some of which are in a README.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules -type f ! -iname 'licen[sc]e*' \
    \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \
      -o -iname '*.md' ! -exec grep -q 'hereby granted' {} ';' \) -delete \
  # Node is the base's: 120 MB.
  && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY LICENSE ./
COPY migrations ./migrations
COPY src ./src
COPY docs/operations.md ./docs/
COPY deploy/image/healthcheck.ts ./
RUN mkdir bin && ln -s ../src/main.ts bin/callsheet && mkdir -m 777 compiled
# What can't start is no image. Both starts load all code, and leave it compiled.
ENV NODE_COMPILE_CACHE=/app/compiled
USER 1000:1000
RUN ["node", "/app/src/main.ts", "--help"]
RUN ["node", "--input-type=module", "-e", "await import('/app/src/server/start.ts')"]
# Files belong to root: nobody changes code at run time.
USER 0:0
RUN chown -R 0:0 compiled && chmod -R u=rwX,go=rX compiled

FROM ${NODE_IMAGE}
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Callsheet" \
  org.opencontainers.image.description="The nightly job that keeps a voice broadcasting service's campaign figures in Postgres and mails them." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/app/compiled \
  CALLSHEET_COMMAND=callsheet \
  PATH=/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
COPY --from=build /app /app
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "/app/healthcheck.ts"]
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["schedule"]
