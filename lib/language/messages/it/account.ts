import type { Messages } from '../types.ts';

export const accountIt: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Non ha il permesso di farlo',
    another_link: 'Richiedi un altro link',
    back_to_sign_in: 'Torna all’accesso',
    choose_password: 'Scelga una nuova password',
    link_used: 'Questo link non funziona più',
    link_used_lead: 'È già stato usato o è troppo vecchio.',
    mail_here: 'Questo servizio non ha un server di posta: legga l’e-mail su {address}.',
    marked: 'Non è stato ancora salvato nulla. Controlli ciò che è segnalato qui sotto.',
    new_password: 'Nuova password',
    not_there: 'Non esiste',
    open_again: 'Riapri la pagina',
    reset_asked:
      'Apra il link nell’e-mail entro {minutes} minuti. Non è arrivato nulla? Guardi nella posta indesiderata.',
    reset_for: 'Per {email}. Tutti gli accessi terminano, e Lei accede con la nuova password.',
    reset_lead: 'Inviamo un link al Suo indirizzo. Funziona una volta sola.',
    reset_notice: 'Se esiste un account con questo indirizzo, un link è in arrivo.',
    reset_sent: 'Controlli la posta',
    save_password: 'Salva la password',
    send_link: 'Invia il link',
    to_account: 'Vai al Suo account',
    too_old: 'Questa pagina è rimasta aperta troppo a lungo o in un altro browser. Riprovi.',
    unreachable:
      'Il servizio non ha risposto. Attenda un momento, poi invii di nuovo: viene accettato una volta sola.',
    verify: 'Sì, è mio',
    verify_heading: 'È questo il Suo indirizzo?',
    verify_used_lead: 'È già stato usato o è troppo vecchio. Può chiederne un altro nel Suo account.',
  },
};
