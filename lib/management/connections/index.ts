export { testMail } from './mail.ts';
export type { ConnectionTest, TestStep } from './step.ts';
