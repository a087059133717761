import type { Messages } from '../types.ts';

export const refusalsIt: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone:
      'Questi codici sono già stati usati, sono troppo vecchi o sono stati errati troppe volte. Ricominci.',
    code_digits: 'Un codice ha sei cifre.',
    code_wrong: 'Uno dei due codici non è corretto.',
    configured: 'Il file di configurazione La descrive: faccia cambiare lì il Suo indirizzo.',
    none: 'Qui non c’è alcun indirizzo da cambiare.',
    none_to_verify: 'Qui non c’è alcun indirizzo da confermare.',
    same: 'Questo è già il Suo indirizzo.',
    taken: 'Nel frattempo questo indirizzo ha un proprio account.',
  },
  delegation: {
    gone: 'Il permesso di questo agente è già terminato.',
    no_agent: 'Questo agente non può, o non può più, agire per qualcuno presso questa API.',
    scopes: 'Gli scope devono essere tra quelli che l’agente ha presso questa API.',
    too_many: 'Una persona ha al massimo {most} agenti: ne termini prima uno.',
    until_far: 'L’ultimo giorno non può essere tra più di {days} giorni.',
    until_past: 'L’ultimo giorno deve essere nel futuro.',
  },
  own_account: {
    device_name: 'Il nome deve avere al massimo 60 caratteri.',
    consent_gone: 'Questo consenso è già stato revocato.',
    gone: 'Il Suo account non esiste più.',
    language: 'Deve essere una lingua, per esempio de o pt-BR.',
    link_gone: 'Questo link è già stato usato o è troppo vecchio. Ne chieda un altro.',
    picture: 'Deve essere un indirizzo https:// di al massimo 2048 caratteri, senza nome utente né password.',
    session_gone: 'Questa sessione è già terminata.',
    signed_out: 'Il Suo accesso è terminato. Acceda di nuovo.',
    too_many_mails: 'Troppe e-mail. Attenda un po’, poi riprovi.',
    word: 'Qui va digitata la parola delete.',
    zone: 'Deve essere un fuso orario, per esempio Europe/Berlin.',
  },
  password: {
    no_method: 'Qui nessuno accede con una password.',
    none: 'Qui non c’è una password da cambiare: Lei accede con un altro servizio.',
    same: 'Questa è la Sua password attuale.',
    wrong: 'Questa non è la Sua password.',
  },
  second_step: {
    apps_full: 'Ha cinque app di autenticazione, il massimo. Ne rimuova prima una.',
    app_changed: 'Nel frattempo la Sua app è stata sostituita o rimossa: riapra questa pagina.',
    app_gone: 'Questa app è già stata rimossa.',
    at_console: 'Questo si fa nella console.',
    browser_gone: 'Questo browser è già stato dimenticato.',
    codes_alone:
      'I codici di recupero sostituiscono una passkey o un’app che ha perso: configuri prima una delle due.',
    due: 'Ora serve un secondo fattore: ne configuri uno.',
    none: 'Il Suo metodo di accesso non ha qui un secondo fattore.',
    passkey_gone: 'Questa passkey è già stata rimossa.',
    passkey_name: 'Il nome deve avere da 1 a 60 caratteri.',
  },
  link: {
    must_change: 'La Sua password deve prima essere cambiata.',
    no_longer_there: 'Questo metodo di accesso non esiste più. Ne scelga un altro.',
    too_many: 'Troppi accessi dalla Sua rete. Attenda un po’, poi riprovi.',
    at_console: 'Per questo serve un accesso alla console.',
    gone: 'Questo metodo di accesso è già stato rimosso.',
    has_password:
      'Questo accesso appartiene a un account con password. Acceda con quello e aggiunga lì questo metodo.',
    has_second_step:
      'Questo accesso appartiene a un account con un proprio secondo fattore. Acceda con esso e rimuova prima quel fattore.',
    in_use:
      'In questo momento ha effettuato l’accesso con questo metodo. Acceda in un altro modo, poi lo rimuova.',
    last: 'È il Suo unico metodo di accesso.',
    other_name: 'Lei accede già lì con un altro nome. Rimuova prima quello.',
    proof_old:
      'Quell’accesso è troppo vecchio o appartiene a un’altra sessione di questo servizio. Ricominci.',
    silent: 'Quel servizio non risponde. Riprovi tra un momento.',
    taken: 'Questo metodo di accesso è già Suo, oppure non c’è più.',
    wrong: 'Il nome utente o la password non è corretta.',
    yours: 'Questo metodo di accesso è già Suo.',
  },
};
