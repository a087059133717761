// The image's entry point: runs the service, or a command.
const [verb = 'start', ...rest] = process.argv.slice(2);

function refuse(line, status) {
  process.stderr.write(`gatehouse: ${line}\n`);
  process.exit(status);
}

if (verb === 'quickstart')
  refuse(
    'quickstart requires PostgreSQL, which the image does not contain: set DATABASE_URL and use start',
    1,
  );
if (verb === 'start' && rest.length > 0)
  refuse('start accepts no arguments: set environment variables instead', 2);
await import(verb === 'start' ? '../server.js' : './gatehouse.mjs');
