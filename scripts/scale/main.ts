import { readOptions, usage } from './options.ts';
import { reportOf } from './report.ts';

try {
  const options = readOptions(process.argv.slice(2));
  process.stdout.write(`${options === 'help' ? usage() : reportOf(options)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
