// The manual page gatehouse(1), generated from the reference of the command line.
import { type Command, optionUsage, usageOf } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/commands.ts';
import { dateOf } from '../image/config.ts';

const FILES: [file: string, holds: string][] = [
  ['/etc/gatehouse/env', 'Settings, as NAME=VALUE; read by systemd and by this command.'],
  [
    '/etc/gatehouse/credentials/',
    'Secret settings: each file is the value of the setting that it is named after (DATABASE_URL, GATEHOUSE_SECRET, SMTP_URL). One in /etc/gatehouse/env wins.',
  ],
  ['/var/lib/gatehouse/', 'Mails, where SMTP_URL is not set.'],
  ['/usr/share/doc/gatehouse/docs/', 'What each setting means, and everything else.'],
];

const STATUS = [
  ['0', 'Done.'],
  ['1', 'Refused, with the reason in one line on standard error.'],
  ['2', 'Wrong usage.'],
] as const;

/** Returns the manual in the markup of man(7). */
export function manualOf({ version, time }: { version: string; time: number }): string {
  return `${[
    `.TH GATEHOUSE 1 ${dateOf(time).slice(0, 10)} "Gatehouse ${version}" "Administration"`,
    '.SH NAME',
    'gatehouse \\- the command line of an OAuth 2.0 authorization server',
    '.SH SYNOPSIS',
    '.B gatehouse',
    '.I VERB',
    '.RI [ ARGUMENT ...]',
    '.SH DESCRIPTION',
    escapeRoff(
      'Works on the database of the service on this machine, with the settings of /etc/gatehouse, which only root may read. A variable of the environment wins over them.',
    ),
    '.PP',
    escapeRoff('The service itself is gatehouse.service. It is started by systemctl, once'),
    '.B gatehouse migrate',
    'or gatehouse\\-migrate.service has made the tables.',
    '.SH VERBS',
    ...COMMANDS.flatMap(verbOf),
    '.TP',
    '.B \\-\\-version',
    'print the version, and the commit that it was made from',
    '.TP',
    '.B start',
    'serve as the caller, without systemd',
    '.SH EXIT STATUS',
    ...STATUS.flatMap(([status, means]) => ['.TP', `.B ${status}`, escapeRoff(means)]),
    '.SH FILES',
    ...FILES.flatMap(([file, holds]) => ['.TP', `.I ${escapeRoff(file)}`, escapeRoff(holds)]),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR systemd.exec (5)',
  ].join('\n')}\n`;
}

function verbOf(command: Command): string[] {
  const options = Object.entries(command.options ?? {}).flatMap(([name, option]) => [
    '.TP',
    `.B ${escapeRoff(optionUsage(name, option))}`,
    escapeRoff(`${option.about}${option.required ? ' (required)' : ''}`),
  ]);
  return [
    '.TP',
    `.B ${escapeRoff(usageOf(command))}`,
    escapeRoff(command.about),
    ...(command.notes ? ['.IP', escapeRoff(command.notes)] : []),
    ...(options.length > 0 ? ['.RS', ...options, '.RE'] : []),
  ];
}

/** Escapes text that roff would read as a request, and writes hyphens that can be searched for. */
function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
