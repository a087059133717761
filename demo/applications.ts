// Applications of the quickstart in one process: a client, an MCP server for agents, and an API. Not for production.
import { type NotesOptions, startNotes } from './mcp.ts';
import { type OrdersOptions, startOrders } from './orders.ts';
import { type ShopOptions, startShop } from './shop.ts';

type Options = { shop: ShopOptions; notes: NotesOptions; orders: OrdersOptions };
const options = JSON.parse(process.argv[2] ?? '{}') as Options;
const started = await Promise.all([
  startShop(options.shop),
  startNotes(options.notes),
  startOrders(options.orders),
]);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const { close } of started) void close();
  });
}
process.stdout.write(`${options.shop.redirectUri} ${options.notes.url}\n`);
