//! C# over several files and projects.

use super::{check, leaves, linked};
use crate::graph::EdgeKind;

const SHOP: &str = "
//- src/Shop/Cart.cs
namespace Shop.Core;

public partial class Cart : ICart
{
    private readonly Ledger _ledger = new();
    public void Add(Item item) { Check(item); _ledger.Write(item.Name); }
    public Item First { get; set; }
}
//- src/Shop/Cart.Checks.cs
namespace Shop.Core
{
    public partial class Cart
    {
        private void Check(Item item) { item.Touch(); Add(item); }
    }
    public class Item { public string Name { get; set; } public void Touch() { } }
    public interface ICart { void Add(Item item); }
}
//- src/Shop/Ledger.cs
namespace Shop { class Ledger { public void Write(string text) { } } }
//- src/Shop/Ext.cs
namespace Shop.Tools;
public static class CartExtensions
{
    public static T Twice<T>(this T cart, int n) where T : Shop.Core.ICart => cart;
    public static string Shout(this string text) => text;
    public static void Log(string text) { }
}
//- src/App/App.csproj
<Project><ItemGroup><Using Include=\"Shop.Core\" /></ItemGroup></Project>
//- src/App/Main.cs
using Shop.Tools;
using static Shop.Tools.CartExtensions;
using Money = Shop.Ledger;
namespace App;
class Main
{
    void Run(ICart any, object other, string text)
    {
        var cart = new Cart { First = new Item() };
        cart.Twice(2).Add(cart.First);
        any.Add(null);
        text.Shout();
        Log(text);
        new Money().Write(text);
        Shop.Tools.CartExtensions.Log(text);
        other.Add(1);
    }
}
//- src/Bare/Bare.cs
namespace Bare;
class Bare { void Run(string text, Cart cart) { text.Shout(); cart.Add(null); } }
";

#[test]
fn parts_of_a_class_are_one_type() {
    check(SHOP, "src/Shop/Cart.cs::Cart.Add", &["Check:5", "Run:10"]);
    check(SHOP, "src/Shop/Cart.Checks.cs::Cart.Check", &["Add:6"]);
    let graph = linked(SHOP);
    assert_eq!(leaves(&graph, "src/Shop/Cart.cs::Cart.Add", EdgeKind::Overrides), ["src/Shop/Cart.Checks.cs::ICart.Add"]);
    assert_eq!(leaves(&graph, "src/Shop/Cart.cs::Cart", EdgeKind::Implements), ["src/Shop/Cart.Checks.cs::ICart"]);
}

#[test]
fn namespaces_usings_and_aliases() {
    check(SHOP, "src/Shop/Ledger.cs::Ledger.Write", &["Add:6", "Run:14"]);
    check(SHOP, "src/Shop/Ledger.cs::Ledger", &["Run:14", "_ledger:5"]);
    check(SHOP, "src/Shop/Cart.Checks.cs::ICart.Add", &["Run:11"]);
    check(SHOP, "src/Shop/Ext.cs::CartExtensions.Log", &["Run:13", "Run:15"]);
}

#[test]
fn extension_methods_where_they_are_used() {
    let graph = linked(SHOP);
    let id = |name: &str| graph.named(name).first().map(|node| graph.id(*node)).unwrap_or_default();
    check(SHOP, &id("Twice"), &["Run:10"]);
    check(SHOP, &id("Shout"), &["Run:12"]);
}
