// Node's HTTP module. An import of `node:http` reads all its exports, and some of them are getters that load Node's
// WebSocket and fetch, which no code of the service uses. Code that serves requests imports this file instead.

export const { createServer, maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');
