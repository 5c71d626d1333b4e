# The bundle needs Node and nothing else. Build it first: npm ci && npm run build
FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=2
WORKDIR /app
COPY LICENSE dist/reroll.js dist/reroll.js.LEGAL.txt /app/
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["node", "/app/reroll.js"]
CMD ["reconciler"]
