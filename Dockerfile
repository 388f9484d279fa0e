# syntax=docker/dockerfile:1
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY migrations ./migrations
COPY src ./src
RUN ln -s /app/src/main.ts /usr/local/bin/callsheet
USER node
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["schedule"]
