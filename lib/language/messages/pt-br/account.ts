import type { Messages } from '../types.ts';

export const accountPtBR: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Você não pode fazer isto',
    another_link: 'Pedir outro link',
    back_to_sign_in: 'Voltar para a entrada',
    choose_password: 'Escolher uma nova senha',
    link_used: 'Este link não funciona mais',
    link_used_lead: 'Ele já foi usado ou é antigo demais.',
    mail_here: 'Este serviço não tem servidor de e-mail: leia a mensagem em {address}.',
    marked: 'Nada foi salvo ainda. Veja o que está marcado abaixo.',
    new_password: 'Nova senha',
    not_there: 'Não existe',
    open_again: 'Abrir a página de novo',
    reset_asked: 'Abra o link do e-mail em até {minutes} minutos. Não chegou nada? Procure na caixa de spam.',
    reset_for: 'Para {email}. Todas as sessões são encerradas, e você entra com ela.',
    reset_lead: 'Enviamos um link para o seu endereço. Ele funciona uma vez.',
    reset_notice: 'Se houver uma conta com esse endereço, um link está a caminho.',
    save_password: 'Salvar a senha',
    send_link: 'Enviar o link',
    to_account: 'Ir para a sua conta',
    too_old: 'Esta página ficou aberta por tempo demais ou em outro navegador. Tente mais uma vez.',
    unreachable: 'O serviço não respondeu. Espere um momento e envie de novo: o envio só é aceito uma vez.',
    verify: 'Sim, é meu',
    verify_heading: 'Este é o seu endereço?',
    verify_used_lead: 'Ele já foi usado ou é antigo demais. Na sua conta há um botão para pedir outro.',
  },
};
