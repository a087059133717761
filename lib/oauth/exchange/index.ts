export { exchangeTerms, notExchanged, requireExchangeClient, requireTarget } from './exchange-terms.ts';
export { asksForIdJag, giveIdJag, ID_JAG } from './give-id-jag.ts';
export { handleExchange } from './handler.ts';
export { ACCESS_TOKEN, JWT } from './presented.ts';
