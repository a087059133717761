import { accountTr } from './tr/account.ts';
import { consoleTr } from './tr/console.ts';
import { deviceTr } from './tr/device.ts';
import { errorsTr } from './tr/errors.ts';
import { mailsTr } from './tr/mails.ts';
import { myTr } from './tr/my.ts';
import { pagesTr } from './tr/pages.ts';
import { refusalsTr } from './tr/refusals.ts';
import { registerTr } from './tr/register.ts';
import { securityTr } from './tr/security.ts';
import { siteTr } from './tr/site.ts';
import type { Messages } from './types.ts';

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
