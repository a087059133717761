import type { Messages } from '../types.ts';
import { accountTr } from './account.ts';
import { consoleTr } from './console.ts';
import { deviceTr } from './device.ts';
import { errorsTr } from './errors.ts';
import { mailsTr } from './mails.ts';
import { myTr } from './my.ts';
import { pagesTr } from './pages.ts';
import { refusalsTr } from './refusals.ts';
import { registerTr } from './register.ts';
import { securityTr } from './security.ts';
import { siteTr } from './site.ts';

export const tr: Messages = {
  ...securityTr,
  ...myTr,
  ...consoleTr,
  ...deviceTr,
  ...accountTr,
  ...pagesTr,
  ...errorsTr,
  ...mailsTr,
  ...refusalsTr,
  ...registerTr,
  ...siteTr,
};
