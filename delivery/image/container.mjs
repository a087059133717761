// Entry point of the image: service, or a command.
const [verb = 'start', ...rest] = process.argv.slice(2);

function refuse(line, status) {
  process.stderr.write(`gatehouse: ${line}\n`);
  process.exit(status);
}

if (verb === 'quickstart')
  refuse('the image has no PostgreSQL of its own, which quickstart needs: set DATABASE_URL and start it', 1);
if (verb === 'start' && rest.length > 0)
  refuse('start takes nothing after it: settings are environment variables', 2);
await import(verb === 'start' ? '../server.js' : './gatehouse.mjs');
