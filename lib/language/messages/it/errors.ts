export const errorsIt = {
  errors: {
    another_browser: 'È incompleto o è stato aperto in un altro browser. Torni all’applicazione e ricominci.',
    cannot_show: 'Al momento non possiamo mostrare questa pagina. Attenda un po’, poi la ricarichi.',
    elsewhere_or_late:
      'È iniziato in un altro browser o più di dieci minuti fa. Torni all’applicazione e ricominci.',
    expired: 'Questo accesso è scaduto',
    expired_lead: 'Sono trascorsi più di dieci minuti. Torni all’applicazione e ricominci.',
    form: 'Questo modulo non è più valido',
    form_lead:
      'È stato inviato da un’altra pagina o da un altro browser, oppure nel frattempo ha effettuato l’accesso qualcun altro. Torni all’applicazione e ricominci.',
    link: 'Questo link di accesso non funziona',
    mistyped: 'L’indirizzo è scritto male, o ciò che era qui non c’è più.',
    moment: 'Un momento, per favore',
    no_cookies:
      'È stato aperto in un altro browser, oppure questo non conserva i cookie di questo sito. Li consenta, poi torni all’applicazione e ricominci.',
    no_page: 'Pagina non trovata',
    no_return: 'Il link non dice dove tornare. Lo segnali a chi gliel’ha dato.',
    nothing_here: 'Questo indirizzo non esiste. Controlli il link o lo segnali a chi gliel’ha dato.',
    not_available: 'Al momento non disponibile',
    not_opened_so: 'Non si può aprire in questo modo. Torni all’applicazione e ricominci.',
    pushed_request:
      'Il link di questo accesso è già stato usato, è troppo vecchio o è stato modificato. Torni all’applicazione e ricominci.',
    service_unavailable: 'Il servizio non è disponibile. Riprovi tra un momento.',
    sign_out_link: 'Questo link di disconnessione non funziona',
    sign_out_link_lead: 'Nessuno è stato disconnesso. Torni all’applicazione e riprovi.',
    slow_lead:
      'Il Suo browser ha impiegato troppo tempo per inviare i dati, che non sono stati letti. Torni indietro e li invii di nuovo.',
    started_elsewhere: 'Questo indirizzo è un passaggio di un accesso iniziato altrove.',
    started_elsewhere_or_late:
      'Questo accesso è iniziato altrove o troppo tempo fa. Torni all’applicazione e ricominci.',
    too_much: 'Il Suo browser ha inviato troppi dati',
    too_much_lead:
      'Di solito la causa sono i cookie salvati da altri siti web di questo dominio. Elimini i cookie di questo dominio nelle impostazioni del browser, poi torni all’applicazione e ricominci.',
    two_applications: 'Il link indica la sua applicazione più di una volta.',
    two_returns: 'Il link indica più di un indirizzo di ritorno.',
    unknown_application: 'L’applicazione che L’ha inviata qui non è nota o non è più in uso.',
    unnamed_application: 'Il link non dice da quale applicazione proviene. Lo segnali a chi gliel’ha dato.',
    unreadable: 'Questo indirizzo non si può leggere',
    unreadable_lead:
      'Contiene un carattere non ammesso nei testi. Lo controlli o ricominci dalla prima pagina.',
    unregistered_return: 'Il link tornerebbe a un indirizzo che non è registrato per questa applicazione.',
    used_step: 'È tornato a una parte di un accesso già usata. Può proseguire da qui.',
    wrong: 'Qualcosa è andato storto',
    wrong_lead: 'Qualcosa è andato storto da parte nostra. Comunichi al gestore l’ID della richiesta.',
  },
  agent: {
    unreachable:
      'Al momento non è possibile verificare l’identità dell’applicazione che L’ha inviata qui. Riprovi tra un momento.',
    asks_for: 'Chiede',
    application: 'Applicazione',
    blocked: 'Questa applicazione è bloccata',
    blocked_lead: 'I responsabili di questo servizio l’hanno bloccata. Non le è stato comunicato nulla.',
    from: 'Da',
    full: 'Molte applicazioni attendono già una decisione. Riprovi quando alcune saranno state decise.',
    full_day: 'Oggi ha fatto richiesta per molte applicazioni. Riprovi domani.',
    full_host:
      'Diverse applicazioni dello stesso host attendono già una decisione. Riprovi quando alcune saranno state decise.',
    full_person: 'Ha già fatto richiesta per diverse applicazioni non ancora decise. Attenda prima quelle.',
    improper:
      'L’applicazione che L’ha inviata qui non si identifica correttamente. Lo segnali a chi l’ha creata.',
    look_again: 'Controlla di nuovo',
    many: 'Troppe richieste in attesa',
    not_approved: 'Questa applicazione non è stata approvata',
    not_approved_lead:
      'I responsabili di questo servizio hanno deciso di no. Si rivolga a loro se pensa che debba essere usata qui.',
    not_for_you: 'Non può usare questa applicazione qui',
    not_for_you_lead:
      '{client} può usare {api} per determinate persone, e l’account con cui ha effettuato l’accesso non è tra queste. Non è stato condiviso nulla. Si rivolga ai responsabili di {api} se ha bisogno dell’accesso; se Le è appena stato concesso, acceda di nuovo.',
    not_listed: 'Questa applicazione non può essere usata qui',
    not_listed_lead:
      'Solo le applicazioni di determinati host possono chiedere l’accesso a questo servizio, e questa non è tra quelle. Non è stato interpellato nessuno e non è stato condiviso nulla.',
    returns_to: 'Torna a',
    revoked: 'Questa applicazione non può più essere usata',
    revoked_lead:
      'La sua approvazione è stata revocata. Si rivolga ai responsabili di questo servizio se ne ha bisogno.',
    sign_in_again: 'Accedi di nuovo',
    suspended: 'Questa applicazione è sospesa',
    suspended_lead:
      'Per il momento non può essere usata qui. Riprovi più tardi o si rivolga ai responsabili di questo servizio.',
    waiting: 'In attesa di approvazione',
    waiting_lead:
      '{client} chiede l’accesso a {api}, e prima deve approvarlo uno dei responsabili, che sono stati avvisati. Tenga aperta questa pagina o ricominci più tardi dall’applicazione: potrà continuare appena avranno deciso.',
  },
};
