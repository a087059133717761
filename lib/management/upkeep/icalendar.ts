// A calendar as a file (RFC 5545).

export type CalendarEvent = {
  /** globally unique, and the same each time (RFC 5545 §3.8.4.7) */
  uid: string;
  at: Date;
  /** of a day (UTC), not of a moment */
  allDay: boolean;
  summary: string;
  description: string;
  url: string;
};

type Calendar = { name: string; product: string; made: Date; events: readonly CalendarEvent[] };

const LINE_OCTETS = 75;
const DAY_MS = 86_400_000;

export function writeCalendar({ name, product, made, events }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${textOf(product)}`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    // RFC 7986 §5.1 and §5.7, and what older programs read
    `NAME:${textOf(name)}`,
    `X-WR-CALNAME:${textOf(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT12H',
    'X-PUBLISHED-TTL:PT12H',
    ...events.flatMap((event) => linesOf(event, made)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function linesOf({ uid, at, allDay, summary, description, url }: CalendarEvent, made: Date): string[] {
  const times = allDay
    ? [`DTSTART;VALUE=DATE:${dayOf(at)}`, `DTEND;VALUE=DATE:${dayOf(new Date(at.getTime() + DAY_MS))}`]
    : [`DTSTART:${momentOf(at)}`];
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${momentOf(made)}`,
    ...times,
    `SUMMARY:${textOf(summary)}`,
    `DESCRIPTION:${textOf(description)}`,
    `URL:${url}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10).replaceAll('-', '');
const momentOf = (at: Date) => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** TEXT (RFC 5545 §3.3.11): control characters have no place in it. */
const textOf = (text: string) =>
  text
    .replaceAll(/[\\;,]/g, (one) => `\\${one}`)
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ');

/** Lines of 75 octets at most, none cut within a character (RFC 5545 §3.1). */
function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    // the space that a folded line begins with is one of its octets
    if (octets + size > LINE_OCTETS) {
      pieces.push(piece);
      piece = '';
      octets = 1;
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join('\r\n ');
}
