export { mailServerSteps, testMail } from './mail.ts';
export { methodSteps, testAuthMethod, testAuthMethodInput } from './methods.ts';
export type { ConnectionTest, TestStep } from './step.ts';
export { testAuditWebhook } from './webhook.ts';
