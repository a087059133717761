// The two ways the same service is reached: its own Node server, and Next's route handlers.
import { test } from '@playwright/test';

export type Door = { name: 'node' | 'next'; url: string };

function address(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run these specs with playwright.config.ts`);
  return value.replace(/\/$/, '');
}

export const nodeDoor: Door = { name: 'node', url: address('E2E_BASE_URL') };
export const nextDoor: Door = { name: 'next', url: address('E2E_NEXT_BASE_URL') };

/** The same guarantees behind each door. */
export function eachDoor(body: (door: Door) => void): void {
  for (const door of [nodeDoor, nextDoor]) test.describe(`${door.name} door`, () => body(door));
}

export function issuerOf(door: Door, method = 'pw', api = 'orders'): string {
  return `${door.url}/auth/${method}/api/${api}`;
}
