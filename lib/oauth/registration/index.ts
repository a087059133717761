export { handleRegistration } from './handler.ts';
export { registrationDeclaration } from './registration-declaration.ts';
