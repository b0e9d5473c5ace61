import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vitepress';
import { writeLlms } from './llms.mts';
import { markdown } from './markdown.mts';
import { docs, refuseUnlinked, sidebarOf } from './pages.mts';

type Plugin = Extract<NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number], { name: string }>;

const english = sidebarOf('index.md');
const french = sidebarOf('fr/index.md');
refuseUnlinked([...english, ...french]);

/** Vite looks for packages from the folder of the pages, where there are none. */
const packagesOfSite: Plugin = {
  name: 'packages-of-site',
  enforce: 'pre',
  resolveId(source, importer, { ssr }) {
    if (!/^vue(\/|$)/.test(source)) return null;
    if (ssr) return { id: source, external: true };
    return importer?.startsWith(docs) ? this.resolve(source, fileURLToPath(import.meta.url)) : null;
  },
};

const searchInFrench = {
  button: { buttonText: 'Chercher', buttonAriaLabel: 'Chercher' },
  modal: {
    displayDetails: 'Afficher les détails',
    resetButtonTitle: 'Effacer',
    backButtonTitle: 'Fermer',
    noResultsText: 'Aucun résultat pour',
    footer: { selectText: 'choisir', navigateText: 'parcourir', closeText: 'fermer' },
  },
};

export default defineConfig({
  title: 'relais',
  description: 'Bulk SMS, payments and collections through one West African provider: at most once.',
  srcDir: '../docs',
  outDir: './dist',
  cacheDir: './node_modules/.cache',
  vite: { plugins: [packagesOfSite] },
  markdown,
  // A dead link fails the build, and so does a page that no index names.
  ignoreDeadLinks: false,
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar: [...english] } },
    fr: {
      label: 'Français',
      lang: 'fr',
      description: 'SMS en masse, paiements et encaissements par un prestataire ouest-africain : au plus une fois.',
      themeConfig: {
        sidebar: [...french],
        outline: { level: 2, label: 'Sur cette page' },
        docFooter: { prev: 'Page précédente', next: 'Page suivante' },
        sidebarMenuLabel: 'Menu',
        returnToTopLabel: 'Haut de page',
        darkModeSwitchLabel: 'Couleurs',
        langMenuLabel: 'Changer de langue',
      },
    },
  },
  themeConfig: {
    outline: { level: 2 },
    search: { provider: 'local', options: { locales: { fr: { translations: searchInFrench } } } },
  },
  buildEnd: ({ outDir }) => writeLlms(outDir, [...english, ...french]),
});
