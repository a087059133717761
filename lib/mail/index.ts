export { ADDRESS_CHANGE_MINUTES } from './address-mails.ts';
export type { FactorNews } from './factor-mails.ts';
export { type CameWith, mailBrand } from './mail-brand.ts';
export { type From, limited, mailLimits } from './mail-limits.ts';
export { exampleMail, listMails, type MailListed, sendExampleMail } from './mail-preview.ts';
export { isMailName, type MailName } from './mails.ts';
export { REGISTRATION_MINUTES } from './registration-mails.ts';
export { sendRequestMails, startRequestMails } from './request-mails.ts';
export {
  background,
  listDevelopmentMail,
  type MailReader,
  mailStaysHere,
  sendServiceMail,
  sendToEach,
  settleNotices,
} from './service-mail.ts';
export { tellOfAdoption } from './tell-account.ts';
export { sendAddressChanged, sendAddressCode, sendAddressTaken } from './tell-address.ts';
export { tellOfFactor } from './tell-factor.ts';
export {
  sendAccountExists,
  sendRegistrationCode,
  tellAdmitted,
  tellDeciders,
  tellRejected,
  tellWaitingEnded,
} from './tell-registration.ts';
export { tellApprovers, tellRequester } from './tell-subscription.ts';
export { sendTestMail } from './test-mail.ts';
