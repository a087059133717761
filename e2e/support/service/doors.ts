// The two servers of the same service: its own Node server, and Next's route handlers.
import { test } from '@playwright/test';
import type { Door } from '#testing/net/door.ts';

export type NamedDoor = Door & { name: 'node' | 'next' };

function address(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run these specs with playwright.config.ts`);
  return value.replace(/\/$/, '');
}

export const nodeDoor: NamedDoor = { name: 'node', url: address('E2E_BASE_URL') };
export const nextDoor: NamedDoor = { name: 'next', url: address('E2E_NEXT_BASE_URL') };

/** Runs the same tests at each server. */
export function eachDoor(body: (door: NamedDoor) => void): void {
  for (const door of [nodeDoor, nextDoor]) test.describe(`${door.name} door`, () => body(door));
}
