/** A shop as the package's own README writes one. What happened is printed as one line of JSON. */
const { Setup, Store, CheckoutInvoice, DirectPay } = require('paydunya');

const [base, what, token] = process.argv.slice(2);
const setup = new Setup({ masterKey: 'sandbox-master', privateKey: 'sandbox-private', token: 'sandbox-token' });
// The package knows one address only.
setup.baseURL = `${base}/api/v1`;

const store = new Store(
  what === 'minimal'
    ? { name: 'Chez Sandra' }
    : {
        name: 'Chez Sandra',
        tagline: 'Le pagne à prix doux',
        phoneNumber: '336530583',
        postalAddress: 'Dakar Plateau',
        logoURL: 'https://shop.example/logo.png',
        websiteURL: 'https://shop.example',
        cancelURL: 'https://shop.example/cart',
        returnURL: 'https://shop.example/thanks?order=7',
        callbackURL: 'https://shop.example/paid',
      },
);

function invoiceOf() {
  const invoice = new CheckoutInvoice(setup, store);
  invoice.totalAmount = 5000;
  if (what === 'minimal') return invoice;
  invoice.addItem('Riz', 2, 2500, 5000, 'Sac de 5 kg');
  invoice.addTax('TVA', 0);
  invoice.addChannels(['card', 'wallet-a-senegal']);
  invoice.addCustomData('order', 7);
  invoice.description = 'Commande 7';
  return invoice;
}

async function run() {
  if (what === 'credit') {
    const direct = new DirectPay(setup);
    await direct.creditAccount('771234567', 5000);
    return { transactionID: direct.transactionID, description: direct.description };
  }
  const invoice = invoiceOf();
  await (token === undefined ? invoice.create() : invoice.confirm(token));
  const { status, url, totalAmount, customer, receiptURL, customData } = invoice;
  return { token: invoice.token, status, url, totalAmount, customer, receiptURL, customData };
}

run().then(
  (said) => console.log(JSON.stringify(said)),
  (error) => console.log(JSON.stringify({ failed: error.message, data: error.data })),
);
