/** Ce que les gens lisent, en français. Same keys as `english.ts`. */
import type { Words } from './languages.ts';

export const french: Words = {
  stop: {
    title: 'Ne plus recevoir ces SMS',
    ask: 'Vous avez ouvert le lien d’un SMS que vous avez reçu. Appuyez sur le bouton, et son expéditeur ne vous enverra plus de SMS.',
    nothingYet:
      'Rien ne change tant que vous n’appuyez pas. Les codes que vous demandez vous-même arrivent toujours.',
    button: 'Ne plus recevoir de SMS de cet expéditeur',
    doneTitle: 'C’est noté',
    done: 'Si ce lien est celui d’un SMS que vous avez reçu, son expéditeur n’enverra plus de SMS à ce numéro. Un SMS déjà parti peut encore arriver.',
    laterTitle: 'Pas encore',
    later:
      'Rien n’a changé : il y a trop de demandes en ce moment. Appuyez de nouveau sur le bouton dans une minute.',
    otherLanguage: 'In English',
  },
};
