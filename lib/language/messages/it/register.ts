export const registerIt = {
  register: {
    another_address: 'Usa un altro indirizzo',
    another_code: 'Invia un altro codice',
    approval_lead: 'Qualcuno decide se lo riceverà. Prima dimostri che l’indirizzo è Suo.',
    approved: 'Acceda con la password che ha scelto.',
    approved_elsewhere: 'Torni all’applicazione e acceda lì con la password che ha scelto.',
    ask: 'Richiedi l’account',
    closed: 'Gli account li crea chi gestisce questo servizio. Torni all’applicazione o chieda lì.',
    closed_heading: 'Qui non si possono creare account',
    code_heading: 'Inserisca il codice',
    code_hint:
      'Sei cifre; il link accanto fa lo stesso in questo browser. Non è arrivato nulla? Guardi nella posta indesiderata.',
    code_lead: 'Abbiamo inviato un’e-mail a {email}. Il suo codice vale dieci minuti.',
    create: 'Crea l’account',
    elsewhere:
      'Questo link funziona per dieci minuti nel browser che lo ha richiesto. Inserisca lì il codice dell’e-mail, oppure torni all’applicazione e ricominci.',
    elsewhere_heading: 'Inserisca il codice dove ha iniziato',
    email_hint: 'Vi arriverà un codice che dimostra che è Suo.',
    full: 'Al momento nessun altro può richiedere un account, e nulla di tutto questo è stato conservato. Riprovi un altro giorno.',
    full_heading: 'Troppe persone sono in attesa',
    gone: 'Il modulo è stato inviato due volte o troppo tardi. Acceda con la password che ha scelto o ricominci.',
    gone_heading: 'Questa pagina ha già svolto il suo compito',
    invitation_gone:
      'È stato usato o ritirato, oppure è troppo vecchio. Se ha creato il Suo account con questo invito, acceda; altrimenti chieda a chi L’ha invitata.',
    invitation_gone_heading: 'Questo invito non funziona',
    invited_lead: 'È invitato come {email}. Scelga come accedere.',
    lead: 'Bastano un indirizzo e-mail e una password.',
    link_heading: 'Confermi il Suo indirizzo',
    link_lead:
      'Ha aperto l’e-mail inviata a {email}. Continui qui, oppure non faccia nulla se non ha chiesto un account.',
    name: 'Nome',
    name_wrong: 'Questo nome è troppo lungo o contiene caratteri invisibili.',
    not_an_address: 'Questo non è un indirizzo e-mail. Ha la forma ada@example.com.',
    password_heading: 'Scelga una password',
    password_hint:
      'Almeno {least} caratteri di qualsiasi tipo. Più parole di seguito vanno bene; il Suo nome e il Suo indirizzo no.',
    password_lead: '{email} è Suo. Ora scelga come accedere con questo indirizzo.',
    ready: 'Il Suo indirizzo è confermato e può accedere con la Sua password.',
    ready_heading: 'Il Suo account è pronto',
    send: 'Invia il codice',
    sent_again: 'Abbiamo inviato un altro codice. Quello precedente non funziona più.',
    taken:
      'Nel frattempo qualcuno ne ha creato uno per il Suo indirizzo. Acceda o scelga una nuova password.',
    taken_heading: 'Ha già un account',
    too_many_mails: 'Sono state richieste troppe e-mail. Attenda un po’, poi riprovi.',
    waits:
      'Qualcuno decide se riceverà un account, e un’e-mail glielo comunicherà. Poi acceda con la password che ha scelto.',
    waits_already:
      'Ha già richiesto un account, e quella richiesta resta valida, con la password scelta allora. Un’e-mail Le comunicherà la decisione.',
    wrong_code: 'Il codice non è corretto. Dopo cinque codici errati ne chieda un altro.',
    wrong_link: 'Questo link è troppo vecchio o appartiene a un’altra e-mail. Inserisca invece il codice.',
  },
  new_password: {
    fair: 'Discreta: un’altra parola la rende molto più sicura',
    good: 'Buona',
    hide: 'Nascondi',
    known: 'Questa password è troppo facile da indovinare: la usano in molti.',
    leaked: 'Altri conoscono questa password: era in una fuga di dati.',
    long: 'Una password ha al massimo 200 caratteri.',
    more: '{count, plural, one {Manca ancora # carattere} many {Mancano ancora # caratteri} other {Mancano ancora # caratteri}}',
    own_words: 'Questa password è troppo facile da indovinare: è un indirizzo o un nome che altri conoscono.',
    short: 'Una password ha almeno {least} caratteri.',
    show: 'Mostra',
    strong: 'Sicura',
    too_easy: 'Questa password è troppo facile da indovinare.',
    weak: 'Debole: sempre gli stessi caratteri',
  },
  passkey: {
    asking:
      'Il browser chiede ora la Sua passkey. Se non succede nulla, prema di nuovo il pulsante o scelga un altro modo.',
    exists_there: 'Su quel dispositivo c’è già una passkey per questo account.',
    full: 'Ha 20 passkey. Ne rimuova una che non usa più, poi aggiunga questa.',
    nothing_used: 'Non è stata usata nessuna passkey. Può riprovare o scegliere un altro modo.',
    picture: 'Codice QR per un’app di autenticazione',
  },
  page: {
    copied: 'Copiato',
    framed: 'Non in un riquadro',
    framed_lead:
      'Questa pagina non viene mostrata dentro un’altra. Apra il suo indirizzo nella finestra stessa o chieda con prompt=none.',
    yours: 'Questo accesso è Suo.',
  },
};
