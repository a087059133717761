// List of journeys: goals, and figures of the previous version.
import { approveSixty } from './approver.ts';
import { developerToToken } from './developer.ts';
import { firstDay } from './first-day.ts';
import { lostPhoneWithCodes, lostPhoneWithoutCodes } from './lost-phone.ts';
import { askWhyRefused } from './refused.ts';
import type { Service } from './service.ts';
import type { Walk } from './walk.ts';

export type Journey = {
  name: string;
  title: string;
  /** measured by hand on version 0.1.0, before the current console pages */
  before: string;
  walk: (walk: Walk, service: Service) => Promise<void>;
};

export const JOURNEYS: readonly Journey[] = [
  {
    name: 'developer',
    title: 'A developer, from nothing to a token in their own application',
    before: '8 clicks and 3 fields, in a form of 21 questions',
    walk: developerToToken,
  },
  {
    name: 'approver',
    title: 'An approver decides on sixty requests',
    before: '30 clicks and about a minute for 30 requests; there was no way to undo',
    walk: approveSixty,
  },
  {
    name: 'first-day',
    title: 'The first day of who runs the service, on an empty database',
    before: 'not possible by a list; not counted',
    walk: firstDay,
  },
  {
    name: 'lost-phone',
    title: 'A person lost their phone, and has a recovery code',
    before:
      'not counted; the app had to be removed and set up again, which ended every other session and all codes',
    walk: lostPhoneWithCodes,
  },
  {
    name: 'lost-phone-and-codes',
    title: 'A person lost their phone and their recovery codes',
    before: 'not counted; no page said whom to ask',
    walk: lostPhoneWithoutCodes,
  },
  {
    name: 'refused',
    title: 'A developer asks why their application was refused',
    before: 'not possible',
    walk: askWhyRefused,
  },
];
