export {
  ADDRESS_CHANGE_MINUTES,
  sendAddressChanged,
  sendAddressCode,
  sendAddressTaken,
} from './address-mails.ts';
export { type FactorNews, tellOfFactor } from './factor-mails.ts';
export { namedIn } from './mail.ts';
export { type CameWith, mailBrand } from './mail-brand.ts';
export { type From, limited, mailLimits } from './mail-limits.ts';
export {
  REGISTRATION_MINUTES,
  sendAccountExists,
  sendRegistrationCode,
  tellAdmitted,
  tellDeciders,
  tellRejected,
  tellWaitingEnded,
} from './registration-mails.ts';
export {
  background,
  listDevelopmentMail,
  type MailReader,
  mailStaysHere,
  sendServiceMail,
  sendToEach,
  settleNotices,
} from './service-mail.ts';
export { tellApprovers, tellRequester } from './subscription-mails.ts';
export { sendTestMail } from './test-mail.ts';
