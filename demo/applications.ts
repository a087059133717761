// What the quickstart has to try, in one process: an application to sign in to, and an MCP server to connect an agent
// to. Never for a server.
import { type NotesOptions, startNotes } from './mcp.ts';
import { type ShopOptions, startShop } from './shop.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as { shop: ShopOptions; notes: NotesOptions };
const started = await Promise.all([startShop(options.shop), startNotes(options.notes)]);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const { close } of started) void close();
  });
}
process.stdout.write(`${options.shop.redirectUri} ${options.notes.url}\n`);
