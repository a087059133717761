export { handleRegistration, registersClients } from './handler.ts';
export { registrationDeclaration } from './registration-declaration.ts';
