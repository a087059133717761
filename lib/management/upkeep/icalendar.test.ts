// The file, read by the parser that Thunderbird has.
import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { writeCalendar } from './icalendar.ts';

const event = {
  uid: 'one@login.example',
  at: new Date('2026-12-31T23:30:00Z'),
  allDay: false,
  summary: 'A secret of Shop; München, 東京 and 🦊 \\ ends',
  description: 'First line\nsecond, longer line: '.repeat(9),
  url: 'https://login.example/admin/clients/shop',
};
const made = new Date('2026-11-27T10:00:00.500Z');
const write = (events: (typeof event)[]) =>
  writeCalendar({ name: 'Login: what expires', product: '-//Gatehouse//Gatehouse 1.0//EN', made, events });
const parsed = (text: string) =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((component) => new ICAL.Event(component));

test('RFC 5545 §3.1: no line is longer than 75 octets, and none is cut within a character', () => {
  const lines = write([event]).split('\r\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toMatch(/[\r\n\uFFFD]/);
  }
  expect(lines.some((line) => line.startsWith(' '))).toBe(true);
});

test('a parser reads every text as it was', () => {
  const [one] = parsed(write([event]));
  expect(one).toMatchObject({ uid: event.uid, summary: event.summary, description: event.description });
  expect(one?.startDate.toJSDate()).toEqual(event.at);
  expect(one?.component.getFirstPropertyValue('url')).toBe(event.url);
});

test('a day is a day of UTC, and ends with the next one', () => {
  const [one] = parsed(write([{ ...event, allDay: true }]));
  expect(one?.startDate.toString()).toBe('2026-12-31');
  expect(one?.endDate.toString()).toBe('2027-01-01');
});

test('a line that another one writes adds no property', () => {
  const [one, ...others] = parsed(
    write([{ ...event, summary: 'Shop\r\nEND:VEVENT\rBEGIN:VEVENT\u0000\u0085' }]),
  );
  expect(others).toEqual([]);
  expect(one?.summary).toBe('Shop\nEND:VEVENT\nBEGIN:VEVENT  ');
});

test('a calendar without events has its name and how often to ask', () => {
  const calendar = new ICAL.Component(ICAL.parse(write([])));
  expect(calendar.getFirstPropertyValue('x-wr-calname')).toBe('Login: what expires');
  expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
  expect(String(calendar.getFirstPropertyValue('refresh-interval'))).toBe('PT12H');
});
