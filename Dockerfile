FROM node:24.21.0-bookworm-slim AS build
WORKDIR /viewer
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# The files of a clone may be readable for their owner only. The service runs as another user.
RUN npm run build && npm prune --omit=dev && chmod -R a+rX package.json dist

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /viewer
COPY --from=build /viewer/package.json ./
COPY --from=build /viewer/node_modules node_modules
COPY --from=build /viewer/dist dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}${process.env.BASE_PATH || ''}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node runs as process 1, so it receives SIGTERM. To run a command, replace CMD with its script.
ENTRYPOINT ["node", "--enable-source-maps", "--heap-growing-percent=70", "--max-semi-space-size=16", "--v8-pool-size=1", "--no-allocation-site-pretenuring"]
CMD ["dist/src/server.js"]
